// That the database once had a synchronous standby.

/** `standby_demanded`: a row since a commit first waited for a standby that was there; deleted by an administrator who wants none any more. */
export const standbyDemandedTable = `
CREATE TABLE standby_demanded (one bool PRIMARY KEY DEFAULT true CHECK (one), since timestamptz NOT NULL DEFAULT now());
`;
