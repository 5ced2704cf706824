import { collection } from '@gatehouse/shared/data/connect';
import type { Binary } from 'mongodb';

export const MEDIA_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;

/** A picture of a person. It never changes: another one gets another id. The account names the one that counts. */
export interface Picture {
  /** 144 random bits in base64url. */
  _id: string;
  user_id: string;
  type: (typeof MEDIA_TYPES)[number];
  content: Binary;
  created_at: Date;
}

export const pictureCollections = {
  pictures: collection<Picture>('pictures', [{ key: { user_id: 1 } }]),
};

/** Where a picture is read. */
export const picturePath = (id: string): string => `/api/v1/pictures/${id}`;
