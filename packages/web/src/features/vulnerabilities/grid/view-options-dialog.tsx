import { Button } from '../../../components/button.tsx'
import { CheckField, SelectField } from '../../../components/form/field.tsx'
import { Dialog, DialogActions } from '../../../components/overlay/dialog.tsx'
import { texts } from '../texts.ts'
import { densities, isExtra, isShown, type OptionalColumn, optionalColumns, type ViewOptions } from './view-options.ts'

/** Dialog that chooses the columns and the density of lists. Changes apply at once. */
export function ViewOptionsDialog({
  columns,
  options,
  onChange,
  onClose,
}: {
  /** Keys of the columns that the list has. */
  columns: readonly string[]
  options: ViewOptions
  onChange: (options: ViewOptions) => void
  onClose: () => void
}) {
  const toggle = (column: OptionalColumn) => {
    const list = isExtra(column) ? 'shown' : 'hidden'
    const others = options[list].filter((other) => other !== column)
    onChange({ ...options, [list]: others.length < options[list].length ? others : [...others, column] })
  }
  return (
    <Dialog isOpen onClose={onClose} title={texts.viewOptions} lead={texts.narrowWindowsShowFewer}>
      <div className="stack">
        <SelectField
          label={texts.density}
          choices={densities}
          value={options.density}
          onChoose={(density) => onChange({ ...options, density })}
        />
        <fieldset className="stack-tight">
          <legend>{texts.columns}</legend>
          {optionalColumns
            .filter(({ key }) => columns.includes(key))
            .map(({ key, label }) => (
              <CheckField key={key} label={label} checked={isShown(options, key)} onChange={() => toggle(key)} />
            ))}
        </fieldset>
        <DialogActions>
          <Button kind="primary" onClick={onClose}>
            {texts.done}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}
