import type { RowOf } from '@alcove/client'

type MemberView = RowOf<'GET /projects/{id}/members'>
/** A member as the API returns it. The OpenAPI document requires none of these fields, but each is always there. */
export type Member = MemberView & {
  [Name in 'id' | 'name' | 'username' | 'access_level']: NonNullable<MemberView[Name]>
}
