import { useState } from 'react'
import { ActionForm } from '../../../components/form/action-form.tsx'
import { CheckField, TextField } from '../../../components/form/field.tsx'
import { ConfirmDialog, Dialog } from '../../../components/overlay/dialog.tsx'
import { useAction } from '../../../data/api.ts'
import { type SavedView, type ViewedState, viewOf } from '../../../nouns/vulnerability/saved-view.ts'
import { useViewPlace } from '../../../nouns/vulnerability/saved-views.ts'
import { texts } from '../texts.ts'

/** Dialog that saves the filters and the order of the list as a new view. */
export function SaveView({
  state,
  onClose,
  onSaved,
}: {
  state: ViewedState
  onClose: () => void
  onSaved: (view: SavedView) => void
}) {
  const { id, path, mayShare } = useViewPlace()
  const [isShared, setShared] = useState(false)
  const save = useAction(`POST ${path}`, {
    done: texts.viewSaved,
    showsErrors: true,
    onDone(view) {
      onClose()
      onSaved(view)
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={texts.saveView} lead={texts.savesTheFiltersAndTheOrder}>
      <ActionForm
        action={save}
        fields={['name']}
        submit={texts.saveView}
        onCancel={onClose}
        onSubmit={(text) =>
          save.mutate({
            path: { id },
            body: { ...viewOf(state), name: text('name'), shared: isShared },
          })
        }
      >
        <TextField label={texts.name} name="name" required maxLength={255} />
        {mayShare && (
          <CheckField
            label={texts.shareWithEveryoneWho}
            checked={isShared}
            onChange={({ target }) => setShared(target.checked)}
          />
        )}
      </ActionForm>
    </Dialog>
  )
}

export function RenameView({ view, onClose }: { view: SavedView; onClose: () => void }) {
  const { id, path } = useViewPlace()
  const rename = useAction(`PUT ${path}/{view_id}`, { done: texts.viewRenamed, showsErrors: true, onDone: onClose })
  return (
    <Dialog isOpen onClose={onClose} title={texts.renameView}>
      <ActionForm
        action={rename}
        fields={['name']}
        submit={texts.renameView}
        onCancel={onClose}
        onSubmit={(text) => rename.mutate({ path: { id, view_id: view.id }, body: { name: text('name') } })}
      >
        <TextField label={texts.name} name="name" required maxLength={255} defaultValue={view.name} />
      </ActionForm>
    </Dialog>
  )
}

export function DeleteView({
  view,
  onClose,
  onDeleted,
}: {
  view: SavedView
  onClose: () => void
  onDeleted: () => void
}) {
  const { id, path } = useViewPlace()
  const remove = useAction(`DELETE ${path}/{view_id}`, { done: texts.viewDeleted, onDone: onDeleted, isLeaving: true })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={texts.deleteTheView(view.name)}
      lead={view.shared ? texts.itIsDeletedForEveryone : undefined}
      confirm={texts.deleteView}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate({ path: { id, view_id: view.id } })}
    />
  )
}
