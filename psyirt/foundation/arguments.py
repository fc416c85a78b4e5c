"""Arguments of public functions, checked where they come in: one line instead of a traceback from deep inside."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, get_args

import numpy as np

from psyirt.errors import InputError


def require(value: Any, kind: type | tuple[type, ...], name: str, function: str, remedy: str) -> None:
    """Refuse a value of another type.

    Parameters
    ----------
    value : object
        What was given.
    kind : type or tuple of types
        What it must be an instance of; bool is no int, NumPy's booleans and integers count as Python's.
    name, function : str
        The argument and the function it was given to.
    remedy : str
        What to give instead.

    Raises
    ------
    InputError
        If `value` is not one.
    """
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if isinstance(value, np.bool_ | np.integer):  # what NumPy hands out for True and 3 is as good
        value = value.item()
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise InputError(f"{name} is a {type(value).__name__}", function, remedy)


def require_callable(progress: object, place: str) -> None:
    """Refuse progress that is no function: it would be noticed one E-step later, as Python's own TypeError.

    Parameters
    ----------
    progress : object
        What was given.
    place : str
        The function it was given to.

    Raises
    ------
    InputError
        If it cannot be called.
    """
    if not callable(progress):
        raise InputError(
            f"progress is a {type(progress).__name__}", place, "Give a function of one ProgressEvent, or leave it out"
        )


def require_word(value: object, choices: object, place: str) -> None:
    """Refuse a word that is none of the literals `choices`.

    Parameters
    ----------
    value : object
        What was given.
    choices : typing.Literal
        What it may be.
    place : str
        The argument, or the flag of a command.

    Raises
    ------
    InputError
        If it is not.
    """
    known = get_args(choices)
    if value not in known:
        raise InputError(f"{value!r} is not known", place, f"Give one of: {', '.join(known)}")


def require_known_options(options: Iterable[str], function: Callable[..., Any], place: str) -> None:
    """Refuse keywords that a function does not take, naming those it does.

    Parameters
    ----------
    options : iterable of str
        What was given.
    function : callable
        What they would be handed to; its keyword-only arguments are its options.
    place : str
        What the user called.

    Raises
    ------
    InputError
        If one is unknown.
    """
    parameters = inspect.signature(function).parameters.values()
    known = [parameter.name for parameter in parameters if parameter.kind is inspect.Parameter.KEYWORD_ONLY]
    for name in options:
        if name not in known:
            raise InputError(f"no option is called {name!r}", place, f"Known: {', '.join(known)}")
