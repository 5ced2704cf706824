import { texts } from '../../webhook-texts.ts';

/** The statuses of responses that lists are filtered by. */
export const HTTP_STATUSES = [
  'none',
  '200',
  '400',
  '401',
  '403',
  '404',
  '410',
  '429',
  '500',
  '502',
  '503',
  '504',
] as const;

export const httpStatusText = (status: (typeof HTTP_STATUSES)[number]): string =>
  status === 'none' ? texts.deliveries.noAnswer : `HTTP ${status}`;
