/**
 * The screens of the lab, in the order of the navigation. Pages read, and forms act, through operations.
 * This folder: the lab's pages for its staff. Not here: the pages of clients (`portal`), and any rule.
 */
import type { FastifyInstance } from 'fastify';
import type { PagesParts } from '../parts.ts';
import { queueScreen } from './queue.ts';
import { createLabRoutes, type LabScreen } from './screen.ts';
import { todayScreen } from './today.ts';

const LAB_SCREENS: readonly LabScreen[] = [todayScreen, queueScreen];

export function addLab(app: FastifyInstance, parts: PagesParts): void {
  for (const screen of LAB_SCREENS) screen.add(createLabRoutes(app, parts, LAB_SCREENS, screen));
}
