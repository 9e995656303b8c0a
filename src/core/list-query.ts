import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from './page.ts';
import { Type, type TSchema } from './schema.ts';

const common = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
      description: `page size, default ${PAGE_LIMIT_DEFAULT}`,
    }),
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, description: 'items to skip, default 0' })),
  cursor: Type.Optional(
    Type.String({
      description: 'the `next` of the previous page; walks any depth at the cost of the first page',
    }),
  ),
  filter: Type.Optional(Type.String({ description: 'condition over the items' })),
  sort: Type.Optional(Type.String({ description: 'such as `desc(created_at),asc(name)`, up to 8 columns' })),
  search: Type.Optional(Type.String({ description: 'case-insensitive substring of the name fields' })),
};

/**
 * The query parameters of every list, with further ones of this list. Others are comparisons, such as `status=done`.
 */
export function ListQuery<Extra extends Record<string, TSchema>>(extra: Extra) {
  return Type.Object({ ...common, ...extra }, { additionalProperties: true });
}
