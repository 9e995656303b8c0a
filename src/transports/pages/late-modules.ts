/** The pages in parts, so that no turn of the event loop loads all of them. */
export const pageModules: readonly (() => Promise<unknown>)[] = [
  () => import('./layout.ts'),
  () => import('./docs.ts'),
  () => import('./people/sign-in.ts'),
  () => import('./people/account.ts'),
  () => import('./people/billing.ts'),
  () => import('./portal/routes.ts'),
  () => import('./lab/routes.ts'),
  () => import('./all-pages.ts'),
];
