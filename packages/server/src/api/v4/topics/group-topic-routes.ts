import Type from 'typebox'
import {
  findGroupTopics,
  type GroupTopicChange,
  setGroupTopics,
} from '../../../domain/topics/group-topics/group-topics.ts'
import { flag, textList } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'

const names = Type.Array(Type.String())

const groupTopicsView = Type.Object(
  {
    topics: names,
    inherited_topics: Type.Array(Type.String(), { description: 'Topics of the parent groups' }),
  },
  { title: 'GroupTopics' },
)

/** Maximum number of projects that a response lists. */
const maxListed = 1000

const changeView = Type.Object(
  {
    dry_run: Type.Boolean(),
    topics: names,
    created_topics: names,
    changed: Type.Integer({ description: 'Number of projects whose topics in effect change' }),
    unchanged: Type.Integer(),
    changes: Type.Array(
      Type.Object({
        project: Type.Object({ id: Type.Integer(), path_with_namespace: Type.String() }),
        added: names,
        removed: names,
      }),
      { description: `The first ${maxListed} projects whose topics in effect change` },
    ),
  },
  { title: 'GroupTopicChange' },
)

function viewChange({ topics, created, changes, unchanged }: GroupTopicChange, dryRun: boolean) {
  return {
    dry_run: dryRun,
    topics,
    created_topics: created,
    changed: changes.length,
    unchanged,
    changes: changes.slice(0, maxListed).map(({ project, added, removed }) => ({
      project: { id: project.id, path_with_namespace: project.fullPath },
      added,
      removed,
    })),
  }
}

/** Topics of groups. GitLab has none. */
export const groupTopicRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/groups/:id/topics',
    summary: 'List the topics of a group, which its projects inherit',
    permission: 'group.read',
    status: 200,
    output: groupTopicsView,
    async handle({ deps, caller, group }) {
      const { own, inherited } = await findGroupTopics(deps, caller, group)
      return { topics: own, inherited_topics: inherited }
    },
  }),
  route({
    method: 'PUT',
    path: '/groups/:id/topics',
    summary: 'Replace the topics of a group, which all projects in it and its subgroups inherit',
    permission: 'group.topic.assign',
    input: Type.Object({
      topics: textList({ commaSeparated: true, description: 'Topic names or aliases; an empty list removes all' }),
      dry_run: flag({ default: false, description: 'Dry run: return what would change without changing anything' }),
    }),
    status: 200,
    output: changeView,
    async handle({ deps, caller, group, input }) {
      const change = { names: input.topics, dryRun: input.dry_run }
      return viewChange(await setGroupTopics(deps, caller, group, change), input.dry_run)
    },
  }),
]
