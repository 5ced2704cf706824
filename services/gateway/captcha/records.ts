import { collection } from '@gatehouse/shared/data/connect';

/** A CAPTCHA token that has admitted one login; kept until the token itself is too old. */
interface CaptchaRedemption {
  _id: string;
  expires_at: Date;
}

export const captchaCollections = {
  captchaRedemptions: collection<CaptchaRedemption>('captcha_redemptions', [
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ]),
};
