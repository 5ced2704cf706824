import { collection } from '@gatehouse/shared/data/connect';

/** A challenge that has admitted a login; kept until the challenge has expired. */
interface CaptchaRedemption {
  _id: string;
  expires_at: Date;
}

export const captchaCollections = {
  captchaRedemptions: collection<CaptchaRedemption>('captcha_redemptions', [
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ]),
};
