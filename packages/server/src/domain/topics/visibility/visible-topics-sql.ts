import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Visibility } from '../../access/roles.ts'
import type { Membership } from '../../members/member.ts'
import { memberNamespaces, memberProjects } from '../../members/membership-sql.ts'
import type { Audience } from '../../projects/audience.ts'

/** Condition, preceded by `and`, on `topics`: with an audience, only topics of its projects and those without projects. */
export function isVisibleTo(audience: Audience | undefined): Sql {
  if (!audience) return empty
  const { open, member } = audience
  const ways = [
    sql`topics.total_projects_count = 0`,
    open.includes('internal')
      ? sql`topics.non_private_projects_count > 0`
      : sql`(topics.non_private_projects_count > 0 and ${hasProject(isOf(open))})`,
    ...(member ? [isOfProjectsOf(member)] : []),
  ]
  return sql`and (${join(ways, ' or ')})`
}

/** Condition on `p`, a row of projects. */
export function isReadableBy({ open, member }: Audience): Sql {
  return member ? sql`(${isOf(open)} or ${isOfMember(member)})` : isOf(open)
}

function hasProject(condition: Sql): Sql {
  return sql`exists (
    select 1 from project_topics a join projects p on p.id = a.project_id where a.topic_id = topics.id and ${condition})`
}

/** Both queries depend on no topic, so engines execute them once: the effort is that of the member's projects. */
function isOfProjectsOf(member: Membership): Sql {
  return sql`topics.id in (select a.topic_id from project_topics a where a.project_id in ${memberProjects(member)})
    or topics.id in (
      select a.topic_id from projects p join project_topics a on a.project_id = p.id
      where p.namespace_id in ${memberNamespaces(member)})`
}

/** An expression instead of a column, so that the planner starts from the topic and not from an index of projects. */
function isOf(open: readonly Visibility[]): Sql {
  return sql`p.visibility || '' in (${join(open)})`
}

function isOfMember(member: Membership): Sql {
  return sql`(p.id in ${memberProjects(member)} or p.namespace_id in ${memberNamespaces(member)})`
}
