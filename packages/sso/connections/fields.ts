import { expecting } from '@gatehouse/shared/http/fields';
import { z } from 'zod';

/** Types of the fields of a connection. */

export const url = z
  .string(expecting('must be a string'))
  .min(1, { error: 'is required' })
  .max(2_048, { error: 'must be at most 2048 characters' })
  .meta({ format: 'uri' });

export const flag = z.boolean(expecting('must be true or false'));

/** One certificate in PEM, or a chain. */
export const pem = z
  .string(expecting('must be a string'))
  .max(64 * 1_024, { error: 'must be at most 65536 characters' });

/** Text that is sent to a provider unchanged. */
export const printable = (max: number) =>
  z
    .string(expecting('must be a string'))
    .refine((text) => text.length >= 1 && text.length <= max && !/[\p{Cc}\p{Cs}]/u.test(text), {
      error: `must be 1 to ${max} characters without control characters`,
    })
    .meta({ minLength: 1, maxLength: max });
