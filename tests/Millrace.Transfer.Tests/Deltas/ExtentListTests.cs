using FsCheck;
using FsCheck.Fluent;

namespace Millrace.Transfer.Tests.Deltas;

/// <summary>A list of extents comes from others: whatever is in it, its extents are in order and within the file, or it is refused.</summary>
public sealed class ExtentListTests
{
    [Fact]
    public void Document_is_read_as_it_was_written()
    {
        using var folder = new TemporaryFolder();
        SparseFiles.Write(folder["x"], 10_000_000, 1, (0, 10), (5_000_000, 100_000), (9_999_999, 1));
        ExtentList list = SparseFiles.ExtentsOf(folder["x"]);
        Assert.True(ExtentList.TryParse(list.ToDocument(), out ExtentList? read));
        Assert.Equal(list.Extents, read.Extents);
        Assert.Equal(10_000_000, read.FileLength);
        Assert.Equal(list.HoleBytes, read.HoleBytes);
        if (SparseFiles.AreSupported)
        {
            Assert.Equal(3, list.Extents.Count);
        }
    }

    [Fact]
    public void Number_of_extents_is_bounded()
    {
        if (!SparseFiles.AreSupported)
        {
            return;
        }

        using var folder = new TemporaryFolder();
        const int Count = ExtentList.MaxExtents + 1000;
        const long Step = 64 * 1024;
        using (FileStream file = File.Create(folder["x"]))
        {
            for (int i = 0; i < Count; i++)
            {
                RandomAccess.Write(file.SafeFileHandle, [1], (i * Step) + (i < 5 ? 0 : 200_000));
            }
        }

        ExtentList list = SparseFiles.ExtentsOf(folder["x"]);
        Assert.InRange(list.Extents.Count, 2, ExtentList.MaxExtents);
        Assert.True(ExtentList.TryParse(list.ToDocument(), out _));
    }

    [Theory]
    [InlineData("4D524558 01000000 0A00000000000000 0000000000000000 0B00000000000000", "longer than the file")]
    [InlineData("4D524558 01000000 0A00000000000000 0000000000000000 0000000000000000", "empty")]
    [InlineData("4D524558 01000000 0A00000000000000 0100000000000000 0200000000000000 0200000000000000 0100000000000000", "overlapping")]
    [InlineData("4D524558 01000000 0A00000000000000 0100000000000000 0200000000000000 0300000000000000 0100000000000000", "adjacent")]
    [InlineData("4D524558 01000000 0A00000000000000 FFFFFFFFFFFFFFFF 0100000000000000", "before the file")]
    [InlineData("4D524558 01000000 0A00000000000000 0100000000000000 FFFFFFFFFFFFFF7F", "overflowing")]
    [InlineData("4D524558 01000000 FFFFFFFFFFFFFFFF", "of a negative length")]
    [InlineData("4D524558 02000000 0A00000000000000", "another version")]
    [InlineData("4D524558 01000001 0A00000000000000", "reserved bytes")]
    [InlineData("4D524558 01000000 0A00000000000000 00", "cut")]
    [InlineData("4D525342 01000000 0A00000000000000", "another document")]
    public void Malformed_list_is_refused(string hex, string what) =>
        Assert.False(ExtentList.TryParse(Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal)), out _), what);

    [Fact]
    public void Plan_of_any_list_covers_the_file_once() => Check.One(
        Config.QuickThrowOnFailure.WithMaxTest(300),
        Prop.ForAll(Gen.Choose(0, 70_000).ArrayOf().ToArbitrary(), lengths =>
        {
            var document = new List<byte>([0x4D, 0x52, 0x45, 0x58, 1, 0, 0, 0, .. BitConverter.GetBytes(lengths.Sum(static length => (long)length + 1))]);
            long at = 0;
            for (int i = 0; i < lengths.Length; i++)
            {
                if (i % 2 == 1)
                {
                    document.AddRange([.. BitConverter.GetBytes(at), .. BitConverter.GetBytes((long)lengths[i] + 1)]);
                }

                at += lengths[i] + 1;
            }

            Assert.True(ExtentList.TryParse([.. document], out ExtentList? list));
            DeltaPlan plan = DeltaPlan.Of(list);
            long end = 0;
            foreach (DeltaPart part in plan.Parts)
            {
                Assert.Equal(end, part.Offset);
                end = part.End;
            }

            Assert.Equal(list.FileLength, end);
            Assert.Equal(list.DataBytes, plan.LiteralBytes);
            Assert.Equal(0, plan.CopiedBytes);
        }));
}
