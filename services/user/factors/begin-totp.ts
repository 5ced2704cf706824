import { randomUUID } from 'node:crypto';
import { createFactorSecrets } from '@gatehouse/shared/data/secrets';
import { AppError } from '@gatehouse/shared/http/errors';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { factorRecord, newTotp } from '@gatehouse/shared/identity/second-factor';
import { isLive } from '@gatehouse/shared/identity/sessions';
import { renderSVG } from 'uqr';
import { z } from 'zod';
import { requireLiveSession } from '../account/own-session.ts';
import { removeIfDue } from './carry-out-resets.ts';
import { operation } from './operation.ts';

/** Milliseconds in which the first code must follow. */
export const VALID = 15 * 60_000;

const enrollment = z
  .object({
    enrollment_id: z.string(),
    secret: z.string().meta({ description: '160 bits in base32 (RFC 4648), to be typed by hand' }),
    uri: z.string().meta({ description: 'For the QR code: `otpauth://totp/…`' }),
    qr: z.string().meta({ description: 'The QR code as SVG' }),
    expires_at: z.string().meta({ format: 'date-time' }),
  })
  .meta({
    description: 'The pending enrollment. Its secret is shown only here.',
    examples: [
      {
        enrollment_id: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
        secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
        uri: 'otpauth://totp/Gatehouse:ada%40example.com?issuer=Gatehouse&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
        qr: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 490 490">…</svg>',
        expires_at: '2026-01-15T09:45:00.000Z',
      },
    ],
  });

export const beginTotp = operation('POST /api/v1/users/me/factors/totp', {
  needs: 'own',
  fresh: true,
  returnsSecret: true,
  summary: 'Begin to enroll an authenticator app',
  description:
    'Returns a secret for an authenticator app. The app is enrolled by its first code, within 15 minutes; until then nothing changes. A second call replaces the secret of the first.',
  returns: enrollment,
  fails: ['duplicate'],
  async handle({ config, db, now, log, request }) {
    const { user, session } = principalOf(request);
    await removeIfDue({ db, now, log }, user);
    const id = randomUUID();
    const totp = newTotp(config.BRAND_NAME, user.email);
    const secret = totp.secret.base32;
    const created_at = new Date(now());
    const sealed = createFactorSecrets(config).seal(secret, factorRecord(id));
    const { matchedCount } = await db.users.updateOne(
      { _id: user._id, second_factor: { $exists: false }, ...isLive(session) },
      { $set: { pending_factor: { id, secret: sealed, created_at } } },
    );
    if (matchedCount === 0) {
      await requireLiveSession(db.users, request);
      throw new AppError('duplicate', { text: 'The account has a second factor' });
    }
    const uri = totp.toString();
    const expires_at = new Date(created_at.getTime() + VALID).toISOString();
    return { enrollment_id: id, secret, uri, qr: renderSVG(uri, { border: 4 }), expires_at };
  },
});
