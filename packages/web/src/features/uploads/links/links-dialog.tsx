import type { Schemas } from '@alcove/client'
import { useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { fill } from '../../../components/fill.tsx'
import { ActionForm } from '../../../components/form/action-form.tsx'
import { TextField } from '../../../components/form/field.tsx'
import { ConfirmDialog, Dialog } from '../../../components/overlay/dialog.tsx'
import { QueryResult } from '../../../components/page/states.tsx'
import { Time } from '../../../components/time.tsx'
import { useAction, useApiQuery } from '../../../data/api.ts'
import { dayAhead } from '../../../nouns/token/scopes.ts'
import { operationsOf, type StoredFile, type UploadOwner } from '../owner.ts'
import { texts } from '../texts.ts'
import styles from './links-dialog.module.css'

type UploadLink = Schemas['UploadLink']

interface LinksProps {
  owner: UploadOwner
  file: StoredFile
}

/** Dialog that creates links to an upload, and lists and revokes those that have not expired. */
export function LinksDialog({ owner, file, onClose }: LinksProps & { onClose: () => void }) {
  const [created, setCreated] = useState<Schemas['CreatedUploadLink']>()
  const [revoking, setRevoking] = useState<UploadLink>()
  const path = { id: owner.id, upload_id: file.id }
  const revoke = useAction(operationsOf(owner).revokeLink, {
    done: texts.linkRevoked,
    onDone(_, { path: { link_id: id } }) {
      if (created?.id === id) setCreated(undefined)
      setRevoking(undefined)
    },
  })
  if (revoking) {
    return (
      <ConfirmDialog
        isOpen
        onClose={() => setRevoking(undefined)}
        title={texts.revokeRevoking(nameOf(revoking))}
        lead={texts.theLinkStopsWorking(file.name)}
        confirm={texts.revokeLink}
        isBusy={revoke.isPending}
        onConfirm={() => revoke.mutate({ path: { ...path, link_id: revoking.id } })}
      />
    )
  }
  return (
    <Dialog isOpen onClose={onClose} title={texts.linksTo(file.name)} lead={texts.anyoneWithALink}>
      {created ? (
        <CreatedLink link={created} onAgain={() => setCreated(undefined)} />
      ) : (
        <CreateLink owner={owner} file={file} onClose={onClose} onCreated={setCreated} />
      )}
      <Links owner={owner} file={file} onRevoke={setRevoking} />
    </Dialog>
  )
}

const defaultDays = 7

function CreateLink({
  owner,
  file,
  onClose,
  onCreated,
}: LinksProps & { onClose: () => void; onCreated: (link: Schemas['CreatedUploadLink']) => void }) {
  const action = useAction(operationsOf(owner).createLink, { showsErrors: true, onDone: onCreated })
  return (
    <ActionForm
      action={action}
      fields={['name', 'expires_at']}
      submit={texts.createLink}
      onCancel={onClose}
      onSubmit={(text) => {
        const body = { name: text('name'), expires_at: `${text('expires_at')}T00:00:00Z` }
        action.mutate({ path: { id: owner.id, upload_id: file.id }, body })
      }}
    >
      <TextField label={texts.name} name="name" autoComplete="off" maxLength={255} hint={texts.optionalForExampleWho} />
      <TextField
        label={texts.expirationDate}
        name="expires_at"
        type="date"
        required
        defaultValue={dayAhead(defaultDays)}
        min={dayAhead(1)}
        hint={texts.theLinkExpiresAtTheStart}
      />
    </ActionForm>
  )
}

/** Address of a new link, which the server cannot show again. */
function CreatedLink({ link, onAgain }: { link: Schemas['CreatedUploadLink']; onAgain: () => void }) {
  const id = useId()
  const address = useRef<HTMLInputElement>(null)
  // The form, which had the focus, was removed. The dialog then focuses itself, so the field gets the focus after that.
  useEffect(() => {
    const frame = requestAnimationFrame(() => address.current?.focus())
    return () => cancelAnimationFrame(frame)
  }, [])
  return (
    <section className={styles.created} aria-label={texts.newLink} role="status">
      <label htmlFor={id}>{fill(texts.copyItNowBecause, { strong: <strong>{texts.linkCreated}</strong> })}</label>
      <input
        ref={address}
        id={id}
        className={styles.address}
        readOnly
        data-first-focus
        value={link.url}
        onFocus={({ target }) => target.select()}
        spellCheck={false}
      />
      <div className="row-wrap">
        <CopyButton text={link.url} label={texts.copyLink} size="normal" />
        <Button kind="quiet" onClick={onAgain}>
          {texts.createAnotherLink}
        </Button>
      </div>
    </section>
  )
}

function Links({ owner, file, onRevoke }: LinksProps & { onRevoke: (link: UploadLink) => void }) {
  const query = useApiQuery(operationsOf(owner).links, { path: { id: owner.id, upload_id: file.id } })
  return (
    <section className={styles.links} aria-label={texts.links}>
      <h3>{texts.links}</h3>
      <QueryResult query={query}>
        {(links) =>
          links.length === 0 ? (
            <p className="muted">{texts.noLinksToThisFile}</p>
          ) : (
            <ul className={styles.list}>
              {links.map((link) => (
                <li key={link.id} className={styles.link}>
                  <div className={styles.facts}>
                    <strong>{nameOf(link)}</strong>
                    <p className="muted small">
                      {texts.downloadUses(link.uses)}
                      {link.last_used_at && fill(texts.last, { time: <Time of={link.last_used_at} /> })}
                      {fill(texts.expires, { time: <Time of={link.expires_at} /> })}
                    </p>
                    <p className="muted small">
                      {fill(texts.created, {
                        time: <Time of={link.created_at} />,
                        createdBy: link.created_by && texts.by(link.created_by.name),
                      })}
                    </p>
                  </div>
                  <Button size="small" aria-label={texts.revokeLink2(nameOf(link))} onClick={() => onRevoke(link)}>
                    {texts.revoke}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </QueryResult>
    </section>
  )
}

function nameOf({ id, name }: UploadLink): string {
  return name || texts.link(id)
}
