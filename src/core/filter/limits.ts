import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#core/page.ts';

/** Every limit of the list language, in one place. Bytes are UTF-8 bytes of the decoded parameter. */
export const limits = {
  filterBytes: 4096,
  depth: 32,
  sortColumns: 8,
  /** Conditions that are query parameters of their own (`status=draft`, `geq(created_at)=…`). */
  parameterConditions: 32,
  pageSize: PAGE_LIMIT_MAX,
  defaultPageSize: PAGE_LIMIT_DEFAULT,
  /** Larger offsets are rejected; the `next` cursor reads any depth at the cost of the first page. */
  offset: 1_000_000,
  cursorBytes: 16_384,
} as const;
