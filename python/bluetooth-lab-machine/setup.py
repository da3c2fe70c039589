"""What pyproject.toml cannot say: that this wheel is for one kind of machine, and for any Python."""

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel

# The oldest glibc that scripts/release/machine allows.
PLATFORM = "manylinux_2_36_x86_64"


class MachineDistribution(Distribution):
    def has_ext_modules(self) -> bool:
        return True


class MachineWheel(bdist_wheel):
    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", PLATFORM


setup(distclass=MachineDistribution, cmdclass={"bdist_wheel": MachineWheel})
