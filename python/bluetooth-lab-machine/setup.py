"""What pyproject.toml cannot say: that this wheel is for one kind of machine, and for any Python."""

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel

# The oldest glibc that scripts/release/machine allows.
PLATFORM = "manylinux_2_36_x86_64"


class MachineWheel(bdist_wheel):
    def finalize_options(self) -> None:
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", PLATFORM


setup(cmdclass={"bdist_wheel": MachineWheel})
