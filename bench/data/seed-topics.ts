import sql from 'sql-template-tag'
import type { Database } from '../../packages/server/src/db/db.ts'
import type { Sizes } from '../options.ts'
import { forEachBatch } from './batches.ts'
import { scatter } from './entries.ts'
import { now } from './fixtures.ts'
import { sentence, topicName } from './words.ts'

const topicsPerProject = 5

/** Seeds topics and projects with topics. A few topics are frequent, most are unused. */
export async function seedTopics(db: Database, { topics, projects }: Sizes): Promise<void> {
  await forEachBatch(db, 'topics', topics, async (db, numbers) => {
    const rows = numbers.map((number) => {
      const name = topicName(number)
      return {
        id: number + 1,
        name,
        title: name.charAt(0).toUpperCase() + name.slice(1),
        description: sentence(number, 12),
      }
    })
    const columns = { id: 'integer', name: 'text', title: 'text', description: 'text' } as const
    await db.run(sql`
      insert into topics (id, organization_id, name, name_key, title, title_key, description, created_at, updated_at)
      select r.id, 1, r.name, r.name, r.title, lower(r.title), r.description, ${now}, ${now}
      from ${db.dialect.records(rows, columns)} as r`)
    await db.run(sql`
      insert into topic_names (organization_id, topic_id, name, name_key, is_alias, created_at)
      select 1, r.id, r.name, r.name, false, ${now} from ${db.dialect.records(rows, columns)} as r`)
  })
  await forEachBatch(db, 'assignments', projects, async (db, numbers) => {
    const rows = numbers.flatMap((number) =>
      Array.from({ length: topicsPerProject }, (_, index) => ({
        project_id: number + 1,
        topic_id: popular(number * topicsPerProject + index, topics),
      })),
    )
    const columns = { project_id: 'integer', topic_id: 'integer' } as const
    await db.run(sql`
      insert into project_topics (project_id, topic_id)
      select r.project_id, r.topic_id from ${db.dialect.records(rows, columns)} as r where true
      on conflict (project_id, topic_id) do nothing`)
  })
  await db.run(sql`
    update topics set total_projects_count = used.total, non_private_projects_count = used.open
    from (
      select a.topic_id, count(*) as total, count(case when p.visibility <> 'private' then 1 end) as open
      from project_topics a join projects p on p.id = a.project_id group by a.topic_id
    ) as used where used.topic_id = topics.id`)
}

/** Returns a topic id; low ids are much more frequent. */
function popular(number: number, topics: number): number {
  const even = scatter(number) / 2 ** 32
  return 1 + Math.floor(topics * even ** 4)
}
