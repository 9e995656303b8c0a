/** The requests of planned runs and their raw files. */
import { createSequences, type Builders } from './builders.ts';
import { createRawFile } from './lab-by-hand.ts';
import type { Request } from './requests.ts';

const createRequest = (path: string, body?: unknown): Request =>
  body === undefined ? { path } : { path, body };

export const runRequests: Readonly<Record<string, (build: Builders) => Promise<Request>>> = {
  create_lab_run: async (build) => createRequest('/lab/runs', await build.planQueued()),
  get_lab_run: async (build) => createRequest(`/lab/runs/${await build.createStoredRun()}`),
  edit_lab_run: async (build) =>
    createRequest(`/lab/runs/${await build.createStoredRun()}`, { operator: 'Another person' }),
  start_lab_run: async (build) => createRequest(`/lab/runs/${await build.createStoredRun()}/start`, {}),
  cancel_lab_run: async (build) =>
    createRequest(`/lab/runs/${await build.createStoredRun()}/cancel`, { reason: 'no instrument' }),
  write_lab_run_file: async (build) =>
    createRequest(`/lab/runs/${await build.createStoredRun()}/files`, { plate: 'P1', kind: 'plate_list' }),
  list_run_raw_files: async (build) => createRequest(`/lab/runs/${await build.createStoredRun()}/raw-files`),
  get_run_raw_file_mapping: async (build) =>
    createRequest(`/lab/runs/${await build.createStoredRun()}/mapping`),
  add_run_raw_file: async ({ createStartedRun }) => {
    const { id, file } = await createStartedRun();
    return createRequest(`/lab/runs/${id}/raw-files`, file);
  },
  put_run_raw_file: async ({ createStartedRun }) => {
    const { id, file } = await createStartedRun();
    const bytes = Buffer.from(file.content_base64, 'base64');
    return { path: `/lab/runs/${id}/raw-files/${file.name}`, file: bytes.toString() };
  },
  preview_run_raw_file: async (build) => ({
    path: `/lab/runs/${await build.createStoredRun()}/preview/P1.csv`,
    file: 'no instrument wrote this',
  }),
  preview_run_raw_files: async (build) =>
    createRequest(`/lab/runs/${await build.createStoredRun()}/preview`, {
      files: [createRawFile(createSequences(1))],
    }),
  map_run_raw_files: async ({ createStartedRun }) =>
    createRequest(`/lab/runs/${(await createStartedRun()).id}/mapping`, {
      entries: [{ well: 'A1', role: 'left_out' }],
    }),
  complete_lab_run: async ({ createRecordedRun }) =>
    createRequest(`/lab/runs/${await createRecordedRun()}/complete`, {}),
};
