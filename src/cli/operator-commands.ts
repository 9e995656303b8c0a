/** The commands with which an operator works on the database, beside a service or without one. */
import * as config from './config.ts';
import * as audit from './audit.ts';
import * as ledger from './ledger.ts';
import * as keys from './keys.ts';
import * as admin from './admin.ts';
import * as rawFiles from './raw-files.ts';
import * as migrate from './migrate.ts';
import * as buildIndex from './build-index.ts';

export const operatorCommands = {
  config: config.run,
  audit: audit.run,
  ledger: ledger.run,
  keys: keys.run,
  admin: admin.run,
  'raw-files': rawFiles.run,
  migrate: migrate.run,
  index: buildIndex.run,
} as const;
