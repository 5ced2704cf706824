import { createLogger } from '@gatehouse/shared/http/logger';

export const silent = createLogger('test', 'silent');
