import { hash } from 'node:crypto'
import type { OutgoingMail } from '../../platform/outgoing/smtp.ts'
import { instanceUrl } from '../../platform/settings/settings.ts'
import type { Deps } from '../deps.ts'
import { escapeHtml, oneLine } from '../escape-html.ts'
import type { Addressee, MailBlock, MailContent, MailItem, Subscription } from './mail.ts'

interface Composition {
  id: number
  eventKey: string
  to: Addressee
  content: MailContent
}

/** Builds the message with its text part, its HTML part and its headers. */
export function composeMail(
  deps: Pick<Deps, 'settings' | 'now'>,
  { id, eventKey, to, content }: Composition,
): OutgoingMail {
  const url = instanceUrl(deps.settings)
  const { subscription } = content
  const blocks = [...content.blocks, ...footerOf(url, subscription)]
  return {
    to: { address: to.address, ...(to.user && { name: oneLine(to.user.name) }) },
    subject: oneLine(content.subject),
    text: textOf(blocks),
    html: htmlOf(content.subject, blocks),
    // The same for every attempt, so that receivers recognise a repetition.
    messageId: `<${id}.${hash('sha256', eventKey).slice(0, 16)}@${new URL(url).hostname}>`,
    date: deps.now(),
    ...(content.attachment && { attachments: [content.attachment] }),
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...(subscription && {
        'List-Unsubscribe': `<${subscription.unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click', // RFC 8058
      }),
    },
  }
}

function footerOf(url: string, subscription: Subscription | undefined): MailBlock[] {
  const origin = `This is an automatic message from Alcove at ${url}. All times are in UTC.`
  if (!subscription) return [origin]
  return [
    origin,
    { link: 'Choose the messages that you receive', url: subscription.settingsUrl },
    { link: 'Unsubscribe from messages of this kind', url: subscription.unsubscribeUrl },
  ]
}

function textOf(blocks: readonly MailBlock[]): string {
  return `${blocks.map(textBlock).join('\n\n')}\n`
}

function textBlock(block: MailBlock): string {
  if (typeof block === 'string') return oneLine(block)
  if ('heading' in block) return `${oneLine(block.heading)}\n${'-'.repeat(Math.min(70, oneLine(block.heading).length))}`
  if ('link' in block) return `${oneLine(block.link)}:\n${oneLine(block.url)}`
  return block.list.map(({ text, url }) => `- ${oneLine(text)}${url ? `\n  ${oneLine(url)}` : ''}`).join('\n')
}

function htmlOf(title: string, blocks: readonly MailBlock[]): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body style="font-family: sans-serif; font-size: 15px; line-height: 1.5; color: #1f1f1f; max-width: 40em">
${blocks.map(htmlBlock).join('\n')}
</body>
</html>
`
}

function htmlBlock(block: MailBlock): string {
  if (typeof block === 'string') return `<p>${escapeHtml(block)}</p>`
  if ('heading' in block) return `<h2 style="font-size: 17px">${escapeHtml(block.heading)}</h2>`
  if ('link' in block) return `<p>${htmlLink(block.link, block.url)}</p>`
  return `<ul>${block.list.map((item) => `<li>${htmlItem(item)}</li>`).join('')}</ul>`
}

const htmlItem = ({ text, url }: MailItem): string => (url ? htmlLink(text, url) : escapeHtml(text))

const htmlLink = (text: string, url: string): string => `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`
