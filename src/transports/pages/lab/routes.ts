/**
 * The screens of the lab, in the order of the navigation. Pages read, and forms act, through operations.
 * This folder: the lab's pages for its staff. Not here: the pages of clients (`portal`), and any rule.
 */
import type { PagesParts } from '../parts.ts';
import { assayTypesScreen } from './assay-types.ts';
import { auditScreen } from './audit.ts';
import { controlsScreen } from './controls.ts';
import { clientsScreen } from './clients.ts';
import { healthScreen } from './health.ts';
import { invoicesScreen } from './invoices.ts';
import { refundsScreen } from './refunds.ts';
import { catalogScreen } from './catalog/screen.ts';
import { plannerScreen } from './planner/screen.ts';
import { materialsScreen } from './materials/screen.ts';
import { pricesScreen } from './prices/screen.ts';
import { queueScreen } from './queue.ts';
import { quotesScreen } from './quotes/screen.ts';
import { requestsScreen } from './requests/screen.ts';
import { runsScreen } from './runs/screen.ts';
import { createLabRoutes, type LabScreen } from './screen.ts';
import { staffScreen } from './staff.ts';
import { todayScreen } from './today.ts';
import type { Routes } from '../../rest/routes.ts';

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
  auditScreen,
  healthScreen,
];

export function addLab(routes: Routes, parts: PagesParts): void {
  for (const screen of LAB_SCREENS) screen.add(createLabRoutes(routes, parts, LAB_SCREENS, screen));
}
