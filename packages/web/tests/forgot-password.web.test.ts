import { expect, test } from 'vitest'
import { startSmtp } from '../../server/src/testing/stand-ins/smtp.ts'
import { accessProblems, startWeb } from './web.ts'

test('a user who has forgotten the password requests a link, sets a new one with it, and is signed in', async () => {
  const smtp = await startSmtp()
  const arrived = new Promise<string>((resolve) => {
    smtp.atMessage = ({ text }) => {
      resolve(text)
      return 'accept'
    }
  })
  const web = await startWeb({ settings: { mail: smtp.settings } })
  try {
    await web.server.user('nadia')
    const page = await web.open('/-/sign_in', { isChanged: true })
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.getByLabel('Username or e-mail address').fill(' nadia ')
    expect(await accessProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByRole('heading', { name: 'Check your e-mail' }).waitFor()

    const secret = /\/-\/password#([\w-]+)/.exec(await arrived)?.[1]
    const link = await web.open(`/-/password#${secret}`, { isChanged: true })
    await link.getByLabel('New password', { exact: true }).fill('another horse battery')
    await link.getByLabel('Confirm new password').fill('another horse battery')
    await link.getByRole('button', { name: 'Set password' }).click()
    await link.getByText('Password set. You are signed in as nadia.').waitFor()

    const again = await web.open(`/-/password#${secret}`, { isChanged: true, expects: /401/ })
    await again.getByLabel('New password', { exact: true }).fill('a third horse battery')
    await again.getByLabel('Confirm new password').fill('a third horse battery')
    await again.getByRole('button', { name: 'Set password' }).click()
    await again.getByRole('heading', { name: 'This link has expired' }).waitFor()
    await again.getByRole('link', { name: 'Request a new link' }).click()
    await again.getByRole('button', { name: 'Send link' }).waitFor()
  } finally {
    await web.close()
  }
})

test('without an SMTP server the sign-in form offers no link, and its page names the administrator', async () => {
  const web = await startWeb()
  try {
    const page = await web.open('/-/sign_in', { isChanged: true })
    await page.getByLabel('Username or e-mail address').waitFor()
    expect(await page.getByText('Forgot your password?').count()).toBe(0)
    const direct = await web.open('/-/forgot_password', { isChanged: true })
    await direct.getByRole('heading', { name: 'Ask an administrator' }).waitFor()
  } finally {
    await web.close()
  }
})
