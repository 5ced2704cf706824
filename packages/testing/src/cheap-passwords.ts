import { createPasswords } from '@gatehouse/shared/identity/passwords';

/** Passwords that are hashed at a hundredth of the usual cost. */
export const cheapPasswords = () => createPasswords({ cost: { memoryCost: 8, timeCost: 1, parallelism: 1 } });
