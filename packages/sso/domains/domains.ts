import { addDomain } from './add.ts';
import { listDomains } from './list.ts';
import { removeDomain } from './remove.ts';
import { updateDomain } from './update.ts';
import { verifyDomain } from './verify.ts';

export const domains = [addDomain, listDomains, verifyDomain, updateDomain, removeDomain];
