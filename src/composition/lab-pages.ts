/**
 * The screens of the lab, in the order of the navigation. Pages read, and forms act, through operations.
 */
import type { PagesParts } from '#ui/parts.ts';
import { bindings } from '#transports/operations.ts';
import { assayTypesScreen } from '#features/pricing/pages/assay-types.ts';
import { createAuditScreen } from '#features/audit/pages/audit.ts';
import { controlsScreen } from '#features/controls/pages/controls.ts';
import { clientsScreen } from '#features/organizations/pages/clients.ts';
import { healthScreen } from '#features/installation/pages/health.ts';
import { invoicesScreen } from '#features/invoices/pages/lab-invoices.ts';
import { refundsScreen } from '#features/invoices/pages/refunds.ts';
import { catalogScreen } from '#features/targets/pages/catalog/screen.ts';
import { plannerScreen } from '#features/runs/pages/planner/screen.ts';
import { materialsScreen } from '#features/materials/pages/screen.ts';
import { pricesScreen } from '#features/pricing/pages/price-lists/screen.ts';
import { queueScreen } from '#features/queue/pages/queue.ts';
import { quotesScreen } from '#features/quotes/pages/composer/screen.ts';
import { requestsScreen } from '#features/targets/pages/answers/screen.ts';
import { runsScreen } from '#features/runs/pages/screen.ts';
import { createLabRoutes, type LabScreen } from '#ui/screen.ts';
import { staffScreen } from '#features/people/pages/staff.ts';
import { todayScreen } from '#features/queue/pages/today.ts';
import type { Routes } from '#ui/routes.ts';

const LAB_SCREENS: readonly LabScreen[] = [
  todayScreen,
  queueScreen,
  requestsScreen,
  quotesScreen,
  materialsScreen,
  plannerScreen,
  runsScreen,
  invoicesScreen,
  refundsScreen,
  clientsScreen,
  catalogScreen,
  pricesScreen,
  assayTypesScreen,
  controlsScreen,
  staffScreen,
  createAuditScreen(
    bindings.filter(({ kind }) => kind === 'audited_read').map(({ operation }) => operation.id),
  ),
  healthScreen,
];

export function addLab(routes: Routes, parts: PagesParts): void {
  for (const screen of LAB_SCREENS) screen.add(createLabRoutes(routes, parts, LAB_SCREENS, screen));
}
