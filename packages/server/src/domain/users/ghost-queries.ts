import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

/** Returns the id of the ghost user. Creates it on first use, under the first free name. */
export async function findOrInsertGhost(db: Db, now: string): Promise<number> {
  for (let suffix = 0; ; suffix++) {
    const found = await db.one<{ id: number }>(sql`select id from users where is_ghost = true`)
    if (found) return found.id
    const username = suffix === 0 ? 'ghost' : `ghost${suffix}`
    const email = `${username}@alcove.invalid`
    // Another request may create it concurrently, or a user may have this name.
    await db.run(sql`
      insert into users (username, username_key, email, email_key, name, is_ghost, can_create_group, projects_limit,
        created_at, updated_at)
      values (${username}, ${username}, ${email}, ${email}, 'Ghost User', true, false, 0, ${now}, ${now})
      on conflict do nothing`)
  }
}
