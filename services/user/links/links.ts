import { beginLink } from './begin-link.ts';
import { listLinks } from './list-links.ts';
import { unlink } from './unlink.ts';

/** The operations on links to providers. */
export const links = [listLinks, beginLink, unlink];
