/** The pages, loaded late. */
import { loadInTurns } from '#core/load-in-turns.ts';
import type { Pages } from '#transports/pages/index.ts';

/** The pages in parts, so that no turn of the event loop loads all of them. */
export const pageModules: readonly (() => Promise<unknown>)[] = [
  () => import('#ui/layout.ts'),
  () => import('#transports/pages/docs.ts'),
  () => import('#features/people/pages/sign-in.ts'),
  () => import('#features/people/pages/account.ts'),
  () => import('#features/billing/pages/billing.ts'),
  () => import('./portal-pages.ts'),
  () => import('./lab-pages.ts'),
  () => import('./all-pages.ts'),
];

let inTurns: Promise<void> | undefined;

/** Two hundred modules. */
export async function loadPages(): Promise<Pages> {
  await (inTurns ??= loadInTurns(pageModules));
  return import('./all-pages.ts');
}
