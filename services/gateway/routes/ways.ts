import { waysContract, waysOf } from '@gatehouse/shared/contract/ways';
import { operation } from '../operation.ts';

/** CONTRACT.md §Ways to log in. */
export const ways = operation(waysContract.line, {
  ...waysContract,
  async handle({ config, reply }) {
    reply.header('cache-control', 'public, max-age=300');
    return waysOf(config);
  },
});
