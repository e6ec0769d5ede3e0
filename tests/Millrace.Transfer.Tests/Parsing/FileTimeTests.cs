using System.Text.Json;

namespace Millrace.Transfer.Tests.Parsing;

public sealed class FileTimeTests
{
    [Theory]
    [InlineData("0", 0, 0)]
    [InlineData("1700000000", 1_700_000_000, 0)]
    [InlineData("1700000000.25", 1_700_000_000, 250_000_000)]
    [InlineData("1700000000.123456789", 1_700_000_000, 123_456_789)]
    [InlineData("-0.5", -1, 500_000_000)]
    [InlineData("-1", -1, 0)]
    [InlineData("-1.000000001", -2, 999_999_999)]
    [InlineData("-62135596800", -62_135_596_800, 0)]
    [InlineData("253402300799.999999999", 253_402_300_799, 999_999_999)]
    public void Text_is_read_and_written(string text, long seconds, int nanoseconds)
    {
        Assert.True(FileTime.TryParse(text, out FileTime time));
        Assert.Equal((seconds, nanoseconds), (time.Seconds, time.Nanoseconds));
        Assert.Equal(text, time.ToString());
    }

    [Theory]
    [InlineData("00.50", "0.5")]
    [InlineData("1.1234567899999", "1.123456789")]
    [InlineData("-0.0", "0")]
    public void Other_spellings_are_read(string text, string written)
    {
        Assert.True(FileTime.TryParse(text, out FileTime time));
        Assert.Equal(written, time.ToString());
    }

    [Theory]
    [InlineData("")]
    [InlineData("-")]
    [InlineData(".")]
    [InlineData(".5")]
    [InlineData("5.")]
    [InlineData("--5")]
    [InlineData("+5")]
    [InlineData(" 5")]
    [InlineData("5 ")]
    [InlineData("1e9")]
    [InlineData("0x10")]
    [InlineData("1.-5")]
    [InlineData("1.5.5")]
    [InlineData("1,5")]
    [InlineData("٣")]
    [InlineData("2023-11-14T22:13:20Z")]
    [InlineData("253402300800")]
    [InlineData("-62135596801")]
    [InlineData("-62135596800.5")]
    [InlineData("99999999999999999999999999")]
    public void Anything_else_is_refused(string text) => Assert.False(FileTime.TryParse(text, out _));

    [Fact]
    public void Times_beyond_the_years_become_the_nearest_one()
    {
        Assert.Equal("-62135596800", new FileTime(long.MinValue, 5).ToString());
        Assert.Equal("253402300799.999999999", new FileTime(long.MaxValue, 5).ToString());
        Assert.Throws<ArgumentOutOfRangeException>(() => new FileTime(0, -1));
        Assert.Throws<ArgumentOutOfRangeException>(() => new FileTime(0, 1_000_000_000));
    }

    [Fact]
    public void Random_times_survive_every_form()
    {
        var random = new Random(5);
        for (int i = 0; i < 10_000; i++)
        {
            var time = new FileTime(random.NextInt64(-62_135_596_800, 253_402_300_800), random.Next(1_000_000_000));
            Assert.True(FileTime.TryParse(time.ToString(), out FileTime read));
            Assert.Equal(time, read);
            Assert.Equal(time, GrpcMapping.ToTime(GrpcMapping.ToMessage(time)));
            FileTime rounded = new(time.Seconds, time.Nanoseconds / 100 * 100);
            Assert.Equal(rounded, FileTime.FromDateTimeOffset(time.ToDateTimeOffset()));

            string json = JsonSerializer.Serialize(new ListingDocument { Entries = [new() { Modified = time }] }, TransferJson.Default.ListingDocument);
            Assert.Equal(time, JsonSerializer.Deserialize(json, TransferJson.Default.ListingDocument)!.Entries[0].Modified);
        }
    }

    [Theory]
    [InlineData("2023-11-14T22:13:20Z", "1700000000")]
    [InlineData("2023-11-14T22:13:20.5+00:00", "1700000000.5")]
    [InlineData("2023-11-14T23:13:20.123456789+01:00", "1700000000.123456789")]
    public void Listing_of_another_form_is_read(string text, string expected)
    {
        ListingDocument listing = JsonSerializer.Deserialize(
            $$"""{"entries":[{"name":"a","modified":"{{text}}"}]}""", TransferJson.Default.ListingDocument)!;
        Assert.Equal(expected, listing.Entries[0].Modified.ToString());
    }

    [Theory]
    [InlineData("5", "5", true)]
    [InlineData("5.123456789", "5", true)]
    [InlineData("5.123456789", "5.123", true)]
    [InlineData("5.123456789", "5.1234567", true)]
    [InlineData("5.123456789", "5.124", false)]
    [InlineData("5.123456789", "5.123456788", false)]
    [InlineData("5.123456789", "6", false)]
    [InlineData("-0.25", "-1", true)]
    public void Times_agree_as_far_as_both_sides_keep_them(string left, string right, bool agree)
    {
        Assert.True(FileTime.TryParse(left, out FileTime one) & FileTime.TryParse(right, out FileTime other));
        Assert.Equal(agree, LocalTime.Agree(one, other));
        Assert.Equal(agree, LocalTime.Agree(other, one));
    }
}
