import Type from 'typebox'
import { claimPlaceholder } from '../../../domain/removal/claim-placeholder.ts'
import { getUser } from '../../../domain/users/users.ts'
import { integer } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { basicUserView, viewBasicUser } from './views.ts'

export const placeholderClaimRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/users/:id/claim',
    summary: 'Give everything of a placeholder, which an import has created, to a user, and delete the placeholder',
    permission: 'user.manage',
    input: Type.Object({
      id: integer(),
      user_id: integer({ description: 'The person for whom the placeholder stands' }),
    }),
    status: 201,
    output: basicUserView,
    audit: { event: 'user.placeholder_claimed', fields: ['id', 'user_id'] },
    async handle({ deps, caller, input, origin }) {
      const user = await getUser(deps, input.user_id)
      await claimPlaceholder(deps, caller, await getUser(deps, input.id), user)
      return viewBasicUser(user, origin)
    },
  }),
]
