import { bulk } from './bulk.ts';
import { discovery } from './discovery.ts';
import { resources } from './resources.ts';

/** SCIM 2.0 (RFC 7643, 7644): providers create, change and deactivate the people of an organization. */
export const scim = [...discovery, ...resources, bulk];
