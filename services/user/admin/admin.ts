import { listOperators } from './operators/list.ts';
import { ownLevel } from './operators/me.ts';
import { removeOperator } from './operators/remove.ts';
import { setOperator } from './operators/set.ts';

/** The operations for operators. */
export const admin = [ownLevel, listOperators, setOperator, removeOperator];
