import Type from 'typebox'
import type { Caller } from '../../../domain/access/callers.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import type { Project } from '../../../domain/projects/project.ts'
import type { ListScope } from '../../../domain/vulnerabilities/list/filter.ts'
import { readableScope } from '../../../domain/vulnerabilities/list/readable-scope.ts'
import { promoteWaiting } from '../../../domain/vulnerabilities/promotion/promote-waiting.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { instanceScope, scopeProperties } from '../vulnerabilities/scope-filters.ts'
import { promotionView, viewPromotion } from './promotion-views.ts'

const promotedProject = Type.Object({
  id: Type.Integer(),
  path_with_namespace: Type.String(),
  web_url: Type.String(),
})

const scopePromotionView = Type.Object(
  {
    started: Type.Array(Type.Object({ project: promotedProject, promotion: promotionView }), {
      description: 'One promotion for each project. Poll those that are running for their progress',
    }),
    skipped: Type.Array(Type.Object({ ...promotedProject.properties, archived: Type.Boolean() }), {
      description: 'Projects that are archived or whose findings the caller may not promote',
    }),
  },
  { title: 'ScopePromotion' },
)

async function promoteScope(deps: RootDeps, caller: Caller, scope: ListScope, origin: string) {
  const { started, skipped } = await promoteWaiting(deps, caller, scope)
  const viewProject = ({ id, fullPath }: Project) => ({
    id,
    path_with_namespace: fullPath,
    web_url: `${origin}/${fullPath}`,
  })
  return {
    started: started.map(({ project, promotion }) => ({
      project: viewProject(project),
      promotion: viewPromotion(promotion),
    })),
    skipped: skipped.map((project) => ({ ...viewProject(project), archived: project.isArchived })),
  }
}

const shape = { status: 202, output: scopePromotionView } as const

/** Promotion of everything that awaits it in many projects. */
export const promoteWaitingRoutes: readonly Route[] = [
  route({
    ...shape,
    method: 'POST',
    path: '/groups/:id/vulnerability_finding_promotions',
    summary: 'Promote all findings on default branches in a group and its subgroups, where the caller may',
    permission: 'group.vulnerability.promote',
    handle: async ({ deps, caller, group, origin }) =>
      promoteScope(deps, caller, await readableScope(deps, caller, { group }), origin),
  }),
  route({
    ...shape,
    method: 'POST',
    path: '/vulnerability_finding_promotions',
    summary: 'Promote all findings on default branches of all projects, where the caller may',
    permission: 'instance.vulnerability.promote',
    input: Type.Object(scopeProperties),
    handle: async ({ deps, caller, input, origin }) =>
      promoteScope(deps, caller, await instanceScope(deps, caller, input), origin),
  }),
]
