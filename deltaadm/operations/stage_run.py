"""Carrying out the stages of a plan one after the other, whatever kind of table it changes."""

from __future__ import annotations

from deltaadm.errors import DeltaadmError


class StageRun:
    """
    One plan that is carried out; a subclass knows its stages, by their numbers.

    `remedy` is what to do about a failure that does not say it.
    """

    remedy: str

    def take_stages(self, count: int) -> None:
        """
        Carry out *count* stages, none on a table that is not as planned.

        Raises what a stage raises, saying what has become of the table.
        """
        for number in range(count):
            self._require_as_planned()
            try:
                self._take(number)
            except DeltaadmError as error:
                raise self._with_state(error, self._after_failure(number, error)) from error
            try:
                self._compare(number)
            except DeltaadmError as error:
                raise self._with_state(error, self._not_compared(number)) from error

    def _with_state(self, error: DeltaadmError, state: str) -> DeltaadmError:
        """The same error, saying in what *state* it has left the table."""
        return type(error)(
            f"{error.message.rstrip('.')}; {state}.",
            remedy=error.remedy or self.remedy,
            delta_error_class=error.delta_error_class,
        )

    def _require_as_planned(self) -> None:
        """Raise `CommitError` where the table is not what the next stage rests on."""
        raise NotImplementedError

    def _take(self, number: int) -> None:
        raise NotImplementedError

    def _after_failure(self, number: int, error: DeltaadmError) -> str:
        """The state of the table after a stage failed with *error*, as a clause."""
        raise NotImplementedError

    def _compare(self, number: int) -> None:
        """Compare what a stage came to with what was planned."""
        raise NotImplementedError

    def _not_compared(self, number: int) -> str:
        """The state of the table if the result cannot be compared, as a clause."""
        raise NotImplementedError
