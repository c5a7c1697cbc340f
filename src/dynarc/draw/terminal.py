"""Trees for terminals, across the page or down. Colours add to what is drawn; nothing depends on them.

    from dynarc.draw.terminal import arcs, vertical

Both give lines of `rich` text, whose `plain` is what a file gets.
"""

from dynarc.draw.across import arcs, fits
from dynarc.draw.down import vertical

__all__ = ["arcs", "fits", "vertical"]
