import { approve } from './approve.ts';
import { listApprovals } from './list.ts';
import { reject } from './reject.ts';

/** What one operator asks for and another decides. */
export const approvals = [listApprovals, approve, reject];
