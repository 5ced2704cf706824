export { failurePage, prefersJson } from '@gatehouse/shared/http/failure-page';
