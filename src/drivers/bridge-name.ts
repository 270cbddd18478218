// The member `bridge` of a registration.
import { z } from 'zod';

const says = 'must be the name of a bridge';

export const bridgeName = z
  .string(says)
  .regex(/^[a-z0-9-]{1,32}$/, says)
  .describe('The bridge in the configuration.');
