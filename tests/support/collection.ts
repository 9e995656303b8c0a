/** A service that takes no payments for a while, as a live environment without a bank account or a processor. */
import type { TestService } from './service.ts';

/** The sandbox counts as live while `act` runs; nothing else reads the environment in that time. */
export async function withoutCollection<Answer>(
  { service }: Pick<TestService, 'service'>,
  act: () => Promise<Answer>,
): Promise<Answer> {
  const { environment } = service.work.site;
  Object.assign(service.work.site, { environment: 'live' });
  try {
    return await act();
  } finally {
    Object.assign(service.work.site, { environment });
  }
}
