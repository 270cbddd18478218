// A part of a topic that a person has set in a device, such as the prefix under which it speaks.
import { z } from 'zod';

/** Levels with `/` between them, without wildcards. */
export const topicPath = z
  .string('must be text')
  .max(64, 'must have at most 64 characters')
  .regex(/^[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*$/, 'must be of A-Z a-z 0-9 _ . - with / between levels');
