import type { RowOf } from '@alcove/client'

type Told = RowOf<'GET /projects/{id}/members'>
/** A member as the API returns it. The OpenAPI document requires none of these fields, but each is always there. */
export type Member = Told & { [Name in 'id' | 'name' | 'username' | 'access_level']: NonNullable<Told[Name]> }
