import type { Dialect } from '../db.ts'

interface RowTrigger {
  name: string
  table: string
  /** The trigger runs after updates that set one of these columns, … */
  columns: readonly string[]
  /** … for the rows that meet this condition. */
  when: string
  /** Statements with `old` and `new`. */
  body: string
}

/** Returns the statements that create a trigger after updates of rows. */
export function rowTrigger(engine: Dialect['engine'], { name, table, columns, when, body }: RowTrigger): string {
  const event = `after update of ${columns.join(', ')} on ${table} for each row`
  if (engine === 'sqlite') return `create trigger ${name} ${event} when ${when} begin\n${body}\nend;`
  return `create function ${name}() returns trigger language plpgsql as $$
begin
${body}
return null;
end $$;
create trigger ${name} ${event} when (${when}) execute function ${name}();`
}
