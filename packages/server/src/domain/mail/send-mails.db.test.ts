import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { onSqlite } from '../../testing/databases/database.ts'
import { openQueue, start } from '../../testing/jobs.ts'
import { mailStates, note, noteJob, noteMail, withMail } from '../../testing/mail.ts'
import { startSmtp } from '../../testing/stand-ins/smtp.ts'
import { type RootDeps, transaction } from '../deps.ts'
import { runDueJobs } from '../jobs/run-jobs.ts'
import { claimMail } from './mail-queries.ts'
import { measureMails, queueMail, queueMails, removeOldMails } from './mails.ts'

async function openMail() {
  const clock = { now: start }
  const [{ deps: plain, another }, smtp] = await Promise.all([openQueue({ clock }), startSmtp()])
  return { clock, smtp, plain, another, deps: withMail(plain, smtp) }
}

const send = (deps: RootDeps) => runDueJobs(deps, [noteJob])

/** Advances the clock and sends each message when it is due. */
async function passTime({ clock, deps }: { clock: { now: string }; deps: RootDeps }, minutes: number): Promise<void> {
  const end = Date.parse(clock.now) + minutes * 60_000
  for (let now = Date.parse(clock.now); now <= end; ) {
    clock.now = new Date(now).toISOString()
    await send(deps)
    const next = await deps.db.one<{ at: string }>(
      sql`select run_at as at from jobs where state = 'waiting' order by run_at limit 1`,
    )
    now = Math.max(next ? Date.parse(next.at) : end + 1, now + 1000)
  }
  clock.now = new Date(end).toISOString()
}

async function insertUser({ db }: RootDeps, username: string, state = 'active'): Promise<number> {
  const row = await db.one<{ id: number }>(sql`
    insert into users (username, username_key, email, email_key, name, state, created_at, updated_at)
    values (${username}, ${username}, ${`${username}@example.test`}, ${`${username}@example.test`}, ${username}, ${state},
      ${start}, ${start})
    returning id`)
  return row?.id ?? 0
}

describe('a queued message', () => {
  test('is sent once per event key, if its transaction commits', async () => {
    const { deps, smtp } = await openMail()
    await expect(
      transaction(deps, async (deps) => {
        await note(deps, 'rolled back')
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    await note(deps, 'hello', 'event 1')
    await note(deps, 'hello again', 'event 1')
    expect(await send(deps)).toBe(1)
    await note(deps, 'hello at last', 'event 1')
    expect(await send(deps)).toBe(0)
    expect(smtp.received.map(({ headers }) => headers['subject'])).toEqual(['hello'])
    expect(await mailStates(deps)).toEqual({ 'event 1': 'sent' })
  })

  test.runIf(onSqlite)(
    'is not queued without an SMTP server, and skipped when the server is no longer configured',
    async () => {
      const { plain, deps, smtp } = await openMail()
      await note(plain, 'nowhere')
      expect(await mailStates(plain)).toEqual({})
      await note(deps, 'too late')
      await send(plain)
      expect(await mailStates(deps)).toEqual({ 'too late': 'skipped' })
      expect(smtp.offered.recipients).toBe(0)
    },
  )

  test('goes to the current address of a user, and to no blocked or deleted user', async () => {
    const { deps, smtp } = await openMail()
    const ids = [await insertUser(deps, 'ada'), await insertUser(deps, 'bob', 'blocked'), await insertUser(deps, 'cyd')]
    const drafts = ids.map((userId) => ({ to: { userId }, eventKey: `user ${userId}`, data: { text: 'hello' } }))
    expect(await queueMails(deps, noteMail, drafts)).toBe(3)
    expect(await queueMails(deps, noteMail, drafts)).toBe(0)
    await deps.db.run(sql`update users set email = 'new@example.test' where id = ${ids[0]}`)
    await deps.db.run(sql`delete from users where id = ${ids[2]}`)
    await send(deps)
    expect(smtp.received.map(({ to }) => to)).toEqual(['new@example.test'])
    expect(await mailStates(deps)).toEqual({ [`user ${ids[0]}`]: 'sent', [`user ${ids[1]}`]: 'skipped' })
  })

  test.runIf(onSqlite)('stores its data only until it is sent', async () => {
    const { deps } = await openMail()
    await note(deps, 'a secret')
    const stored = () => deps.db.one<{ data: unknown }>(sql`select data from mails`)
    expect(await stored()).toEqual({ data: { text: 'a secret' } })
    await send(deps)
    expect(await stored()).toEqual({ data: null })
  })

  test.runIf(onSqlite)('is sent later when the server defers it, as for greylisting', async () => {
    const mail = await openMail()
    const firstTries = new Set<string>()
    mail.smtp.atRecipient = (address) => {
      const isKnown = firstTries.has(address)
      firstTries.add(address)
      return isKnown ? 'accept' : 450
    }
    await note(mail.deps, 'hello')
    await send(mail.deps)
    expect(await mailStates(mail.deps)).toEqual({ hello: 'queued' })
    expect(await measureMails(mail.deps)).toEqual([{ state: 'queued', total: 1 }])
    await passTime(mail, 1)
    expect(mail.smtp.received).toHaveLength(1)
    expect(await mailStates(mail.deps)).toEqual({ hello: 'sent' })
    expect(await measureMails(mail.deps)).toEqual([])
  })

  test('fails without another attempt when the server refuses it', async () => {
    const mail = await openMail()
    mail.smtp.atRecipient = () => 550
    await note(mail.deps, 'hello')
    await passTime(mail, 60)
    expect(mail.smtp.offered.recipients).toBe(1)
    expect(await measureMails(mail.deps)).toEqual([{ state: 'failed', total: 1 }])
    expect(await mail.deps.db.one(sql`select last_error from mails`)).toEqual({
      lastError: expect.stringContaining('550'),
    })
  })

  test('waits for the end of an outage of an hour', async () => {
    const mail = await openMail()
    await mail.smtp.pause()
    for (const text of ['one', 'two', 'three']) await note(mail.deps, text)
    await passTime(mail, 60)
    expect(Object.values(await mailStates(mail.deps))).toEqual(['queued', 'queued', 'queued'])
    await mail.smtp.resume()
    await passTime(mail, 31)
    expect(mail.smtp.received.map(({ headers }) => headers['subject']).sort()).toEqual(['one', 'three', 'two'])
    expect(await mailStates(mail.deps)).toEqual({ one: 'sent', two: 'sent', three: 'sent' })
  })

  test.runIf(onSqlite)('fails after an outage of two days', async () => {
    const mail = await openMail()
    await mail.smtp.pause()
    await note(mail.deps, 'hello')
    await passTime(mail, 26 * 60)
    expect(await mailStates(mail.deps)).toEqual({ hello: 'queued' })
    await passTime(mail, 22 * 60)
    expect(await mailStates(mail.deps)).toEqual({ hello: 'failed' })
  })

  test.runIf(onSqlite)('is not sent again when its process ended while it sent it', async () => {
    const { deps, smtp } = await openMail()
    await note(deps, 'hello')
    expect(await claimMail(deps.db, 1)).toMatchObject({ kind: 'note', address: 'ada@example.test' })
    await send(deps)
    expect(smtp.offered.recipients).toBe(0)
    expect(await mailStates(deps)).toEqual({ hello: 'unknown' })
  })

  test('is retried when its content cannot be described', async () => {
    const mail = await openMail()
    await queueMail(
      mail.deps,
      { ...noteMail, kind: 'other' },
      {
        to: { address: 'ada@example.test' },
        eventKey: 'other',
        data: { text: 'x' },
      },
    )
    await send(mail.deps)
    expect(await mail.deps.db.one(sql`select state, last_error from mails`)).toEqual({
      state: 'queued',
      lastError: 'there is no kind of message other',
    })
  })

  test('is deleted 90 days after its end', async () => {
    const mail = await openMail()
    await note(mail.deps, 'hello')
    await send(mail.deps)
    await passTime(mail, 90 * 24 * 60 - 1)
    await note(mail.deps, 'later')
    await removeOldMails(mail.deps)
    expect(await mailStates(mail.deps)).toEqual({ hello: 'sent', later: 'queued' })
    await passTime(mail, 1)
    await removeOldMails(mail.deps)
    expect(await mailStates(mail.deps)).toEqual({ later: 'sent' })
  })
})
