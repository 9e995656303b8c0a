/** The requests by which people read and choose their mails. */
import type { Request } from './requests.ts';

const createBody = (event: string) => ({ digest_hour: 7, mail: { [event]: 'daily' } });

export const notificationRequests: Readonly<Record<string, () => Promise<Request>>> = {
  get_notifications: async () => ({ path: '/notifications' }),
  get_lab_notifications: async () => ({ path: '/lab/notifications' }),
  update_notifications: async () => ({ path: '/notifications', body: createBody('results') }),
  update_lab_notifications: async () => ({ path: '/lab/notifications', body: createBody('late_run') }),
};
