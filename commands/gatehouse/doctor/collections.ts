import { COLLECTIONS as GATEWAY } from '../../../services/gateway/database.ts';
import { COLLECTIONS as LOGIN } from '../../../services/login/database.ts';
import { COLLECTIONS as USER } from '../../../services/user/database.ts';

/** What the services store, with the indexes that they build. */
export const SERVICE_COLLECTIONS = Object.values({ ...USER, ...LOGIN, ...GATEWAY });
