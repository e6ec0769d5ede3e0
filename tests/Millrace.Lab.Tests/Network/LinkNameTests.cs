using System.Net;

namespace Millrace.Lab.Tests.Network;

public sealed class LinkNameTests
{
    [Fact]
    public void Names_fit_the_limit_of_interface_names()
    {
        var name = new LinkName(4_194_304, 999);
        Assert.Equal("mr4194304-999", name.Namespace);
        Assert.True(name.Near.Length <= 15, name.Near);
        Assert.True(name.Far.Length <= 15, name.Far);
    }

    [Fact]
    public void Link_name_identifies_its_owner()
    {
        Assert.True(LinkName.TryParse("mr123-4", out LinkName? name));
        Assert.Equal(new LinkName(123, 4), name);
    }

    [Theory]
    [InlineData("blue")]
    [InlineData("mr")]
    [InlineData("mr12")]
    [InlineData("mr-1-2")]
    [InlineData("mr1-x")]
    public void Foreign_names_are_rejected(string name) => Assert.False(LinkName.TryParse(name, out _));

    [Fact]
    public void Addresses_are_reserved_for_benchmarks()
    {
        (IPAddress near, IPAddress far) = new LinkName(40_000, 1).FindAddresses();
        Assert.Equal(198, near.GetAddressBytes()[0]);
        Assert.Equal(18, near.GetAddressBytes()[1] & ~1);
        Assert.Equal(near.GetAddressBytes()[3] + 1, far.GetAddressBytes()[3]);
    }
}
