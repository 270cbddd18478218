// Whether a document is still the one that was read.

/**
 * `document.stamp`: another one after each change, and never one that was there before: numbers of changes are given again when a copy of the
 * database takes its place. Rows change together with their document.
 */
export const documentStamps = `
ALTER TABLE document ADD COLUMN stamp uuid NOT NULL DEFAULT gen_random_uuid();
CREATE FUNCTION stamp_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.stamp := gen_random_uuid();
  RETURN NEW;
END $$;
CREATE TRIGGER stamp BEFORE UPDATE ON document FOR EACH ROW EXECUTE FUNCTION stamp_document();
`;
